"""Kills on all sides while files grow, tear, shrink and rotate: is any line lost or repeated?"""
