//! What stands in the place of what was removed.
