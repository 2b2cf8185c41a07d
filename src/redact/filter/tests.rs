//! Filters through their settings.
