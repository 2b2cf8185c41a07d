//! What all filters of one kind share: settings made ready.
