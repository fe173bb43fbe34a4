//! Running for months: the service in the background, its sections of the command line, and the event log.

mod events;
