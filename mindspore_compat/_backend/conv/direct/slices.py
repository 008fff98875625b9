"""3-D convolution on the host as 2-D convolution of slices.

A slice of the result is the convolution of an image whose channels are the channels of all slices
under the kernel. Each slice is therefore copied once for each depth position of the kernel, and the
loops of choose.py do the rest. Some samples are copied at a time.

    volumes (N, C, D, H, W), kernels (O, C, kd, kh, kw)
    images (N * Do, C * kd, H, W), kernels (O, C * kd, kh, kw), results (N * Do, O, Ho, Wo)
"""

import functools
from math import prod

import numpy

from ...threads import scheduler
from ...threads.scheduler import blocks

WORKSPACE = 1 << 24  # elements of the images that are copied at a time, approximately


def image_of(geo):
    """Returns the geometry of the convolution of slices."""
    fields = {
        name: getattr(geo, name)[1:] for name in "size kernel stride pads dilation out".split()
    }
    batch, channels = geo.batch * geo.out[0], geo.channels * geo.kernel[0]
    return geo._replace(batch=batch, channels=channels, **fields)


def convolve(of_images, x, w, geo):
    """Convolves volumes by `of_images`, the function for images. Returns None if that function
    returns None."""
    out = numpy.empty((geo.batch, geo.filters, *geo.out), x.dtype)
    w = w.reshape(geo.filters, -1, *geo.kernel[1:])
    for part, slice_geo in _parts(geo):
        images = of_images(_images(x[part], slice_geo), w, image_of(slice_geo))
        if images is None:
            return None
        _copy(images.reshape(-1, geo.out[0], *images.shape[1:]), out[part])
    return out


def input_gradient(of_images, g, w, geo):
    """Computes the gradient for the input volumes by `of_images`, the function for images. Returns
    None if that function returns None."""
    out = numpy.empty((geo.batch, geo.channels, *geo.size), g.dtype)
    w = w.reshape(geo.filters, -1, *geo.kernel[1:])
    for part, slice_geo in _parts(geo):
        images = of_images(_slices(g[part]), w, image_of(slice_geo))
        if images is None:
            return None
        _add_images(images, out[part], slice_geo)
    return out


def weight_gradient(of_images, g, x, geo):
    """Computes the gradient for the weights by `of_images`, the function for images. Returns None
    if that function returns None."""
    total = None
    for part, slice_geo in _parts(geo):
        grad = of_images(_slices(g[part]), _images(x[part], slice_geo), image_of(slice_geo))
        if grad is None:
            return None
        total = grad if total is None else numpy.add(total, grad, out=total)
    return total.reshape(geo.filters, -1, *geo.kernel)


def _parts(geo):
    """Yields a slice of samples that are processed together, and the geometry of the convolution
    of these samples."""
    size = geo.out[0] * geo.channels * geo.kernel[0] * prod(geo.size[1:])
    for part in blocks(geo.batch, max(WORKSPACE // size, 1)):
        yield part, geo._replace(batch=part.stop - part.start)


@functools.lru_cache(maxsize=256)
def _overlaps(geo):
    """Returns a pair of Python slices for each depth position of the kernel: the depths of the
    result for which the position is inside the volume, and the depths of the volume that it reads.
    """
    n, out, step, spread = geo.size[0], geo.out[0], geo.stride[0], geo.dilation[0]
    overlaps = []
    for k in range(geo.kernel[0]):
        offset = k * spread - geo.pads[0][0]
        first = min(max(-(offset // step), 0), out)
        last = max(min((n - 1 - offset) // step + 1, out), first)
        start = first * step + offset
        overlaps.append((slice(first, last), slice(start, start + (last - first) * step, step)))
    return overlaps


def _images(x, geo):
    """Returns the images that represent volumes: for each slice of the result, the slices under the
    kernel as channels."""
    out = numpy.empty((len(x), geo.out[0], geo.channels, geo.kernel[0], *x.shape[3:]), x.dtype)
    pieces = [(sample, k) for sample in range(len(x)) for k in range(geo.kernel[0])]

    def work(number):
        sample, k = pieces[number]
        inside, source = _overlaps(geo)[k]
        out[sample, : inside.start, :, k] = 0
        out[sample, inside.stop :, :, k] = 0
        out[sample, inside, :, k] = x[sample, :, source].swapaxes(0, 1)

    scheduler.run(work, len(pieces))
    return out.reshape(-1, geo.channels * geo.kernel[0], *x.shape[3:])


def _add_images(images, out, geo):
    """Computes the transpose of `_images`: adds each slice of the images to the slice of the volume
    that `_images` copies into it. The volumes are written to `out`."""
    images = images.reshape(len(out), geo.out[0], geo.channels, geo.kernel[0], *images.shape[2:])
    pieces = [
        (sample, part)
        for sample in range(len(out))
        for part in blocks(geo.channels, -(-geo.channels // 4))
    ]

    def work(number):
        sample, part = pieces[number]
        target = out[sample, part]
        target[...] = 0
        for k, (inside, source) in enumerate(_overlaps(geo)):
            target[:, source] += images[sample, inside, part, k].swapaxes(0, 1)

    scheduler.run(work, len(pieces))


def _slices(g):
    """Returns the slices of volumes, as images."""
    out = numpy.empty((len(g), g.shape[2], g.shape[1], *g.shape[3:]), g.dtype)
    _copy(g, out)
    return out.reshape(-1, *out.shape[2:])


def _copy(source, target):
    """Copies `source` to `target` with axes 1 and 2 exchanged; threads share the samples."""

    def work(number):
        target[number] = source[number].swapaxes(0, 1)

    scheduler.run(work, len(target))
