//! The canonical wire: the event itself.
