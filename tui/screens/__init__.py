"""The full-screen views, one file each."""
