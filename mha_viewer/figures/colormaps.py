"""Colour maps whose lightness rises or falls evenly, safe for colour-blind readers.

viridis and magma are by Nathaniel J. Smith, Stefan van der Walt and Eric Firing, cividis by
Nuñez, Anderton and Renslow (2018, doi 10.1371/journal.pone.0199239); all are in the public domain
(CC0). Every fifth entry of the published tables stands here, the rest is interpolated, which is
off by at most three levels of 255. greys and blues are straight and bent lines through CIELAB.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint32]

_ANCHORS = {
    "viridis": """
        440154 46085c 471063 481769 481d6f 482475 472a7a 46307e 453781 433d84 414287 3f4889
        3d4e8a 3a538b 38598c 355e8d 33638d 31688e 2e6d8e 2c718e 2a768e 297b8e 27808e 25848e
        23898e 218e8d 20928c 1f978b 1e9c89 1fa188 21a585 24aa83 28ae80 2eb37c 35b779 3dbc74
        46c06f 50c46a 5ac864 65cb5e 70cf57 7cd250 89d548 95d840 a2da37 b0dd2f bddf26 cae11f
        d8e219 e5e419 f1e51d fde725
    """,
    "cividis": """
        00204d 002455 00275e 002b67 002e6f 00316f 00356e 12386d 1f3c6d 28406c 30436c 36476b
        3d4a6b 424e6b 48526b 4d556c 52596c 575c6d 5b606e 60646f 646770 696b71 6d6e72 727274
        767676 7a7a78 7f7d78 848179 888579 8d8979 928d78 979178 9c9577 a19976 a69d75 aca174
        b1a573 b6a971 bbae6f c1b26d c6b66b ccbb69 d1bf66 d7c463 dcc860 e2cd5c e8d259 edd654
        f3db4f f9e04a ffe544 ffea46
    """,
    "magma": """
        000004 02020b 050416 090720 0e0b2b 140e36 1a1042 21114e 29115a 311165 390f6e 420f75
        4a1079 52137c 5a167e 621980 6a1c81 721f81 792282 812581 892881 912b81 992d80 a1307e
        aa337d b2357b ba3878 c23b75 ca3e72 d2426f d9466b e04c67 e75263 ec5860 f1605d f4695c
        f7725c f97b5d fb8560 fc8e64 fd9869 fea16e feaa74 feb47b febd82 fec68a fecf92 fed89a
        fde2a3 fdebac fcf4b6 fcfdbf
    """,
}

#: Lightness, a and b of CIELAB at the ends and in the middle, from weight 0 to weight 1.
_CIELAB = {
    "greys": ((100.0, 0.0, 0.0), (56.0, 0.0, 0.0), (12.0, 0.0, 0.0)),
    "blues": ((98.0, -1.0, -2.0), (56.0, -6.0, -38.0), (14.0, 10.0, -36.0)),
}


def _from_anchors(text: str) -> Table:
    anchors = np.array([list(bytes.fromhex(anchor)) for anchor in text.split()], dtype=np.float64)
    at = np.linspace(0, 255, len(anchors))
    return _pack(np.stack([np.interp(np.arange(256), at, anchors[:, i]) for i in range(3)], axis=1))


def _from_cielab(anchors: tuple[tuple[float, float, float], ...]) -> Table:
    """Interpolate in CIELAB (CIE 1976, white D65) and convert to sRGB (IEC 61966-2-1)."""
    steps = np.linspace(0, len(anchors) - 1, 256)
    lab = np.stack(
        [np.interp(steps, range(len(anchors)), values) for values in zip(*anchors, strict=True)]
    )
    f_y = (lab[0] + 16) / 116
    f = np.stack([f_y + lab[1] / 500, f_y, f_y - lab[2] / 200])
    xyz = np.where(f > 6 / 29, f**3, 3 * (6 / 29) ** 2 * (f - 4 / 29))
    xyz *= np.array([[0.95047], [1.0], [1.08883]])
    to_linear = np.array(
        [
            [3.2404542, -1.5371385, -0.4985314],
            [-0.9692660, 1.8760108, 0.0415560],
            [0.0556434, -0.2040259, 1.0572252],
        ]
    )
    linear = np.clip(to_linear @ xyz, 0, 1)
    encoded = np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055)
    return _pack(encoded.T * 255)


def _pack(levels: NDArray[np.float64]) -> Table:
    red, green, blue = np.rint(levels).astype(np.uint32).T
    table: Table = np.uint32(0xFF000000) | red << np.uint32(16) | green << np.uint32(8) | blue
    table.flags.writeable = False
    return table


#: The maps by name, the default first: opaque `0xffRRGGBB` for weight 0 … 1, uint32 `[256]`.
COLORMAPS: dict[str, Table] = {
    **{name: _from_anchors(text) for name, text in _ANCHORS.items()},
    **{name: _from_cielab(anchors) for name, anchors in _CIELAB.items()},
}
