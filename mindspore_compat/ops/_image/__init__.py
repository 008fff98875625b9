"""Images: resizing, sampling, boxes, regions of interest, pixels moved between axes."""
