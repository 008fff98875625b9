"""Image ops: resizing, sampling, boxes, regions of interest, pixel shuffling."""
