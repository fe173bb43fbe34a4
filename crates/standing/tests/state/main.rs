//! The state folder in the hands of others: another program that writes into it, version control, another user, and
//! file systems that cannot do everything.

mod machine;
mod other_program;
mod scene;
mod unrecorded;
