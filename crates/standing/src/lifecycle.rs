//! The verbs. Each has a file of its own, and each goes through the one definition seam and the one state function.
