"""Lanes: numbers that one vector instruction handles side by side, 64 bytes of them (16 float32 or 8 float64).

A contiguous array is read as blocks of so many numbers: `load(array, n)` reads block n, `store(array, n, value)` writes it,
`fill(array, x)` makes lanes that all are x, `load_whole(array, table, n)` reads block n of a table of int8 as numbers of the
array's type, `gather(array, table, first, step, places, n)` reads table[first + step * place] of
a flat table for block n of `places`, as numbers of the array's type, `total(lanes)` adds them up. Lanes add, subtract,
multiply, divide and are compared with 0 (`choose`). `load_wide(array, n, wide)` reads as many blocks at once as `wide` has
numbers, and `first_blocks(lanes, wide)` keeps the first of them. `prefetch(array, n)` asks for a block that is needed soon.
Numba has no such type, and its compiler finds vector instructions only in loops without stores between loads and with few
arrays; sums over cards and updates of regrets are no such loops. With `NUMBA_DISABLE_JIT=1` lanes are pieces of NumPy arrays.

An array of uint16 holds numbers of half precision (IEEE binary16): it is read and written as float32 lanes. A sum of 11 bits
that is rounded to the nearest stops growing once what is added is smaller than half of its last bit, so numbers are rounded
up or down with the probabilities that make the mean right. A hash of the number decides, so that results are reproducible.
"""

# mypy: allow-untyped-calls

from __future__ import annotations

import operator
from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.extending import intrinsic, lower_builtin, models, register_model
from numba.core.typing.templates import AbstractTemplate, infer_global, signature

from smoothcall.kernels.tables import Array

BYTES = 64
HASH = 2_654_435_769  # 2^32 divided by the golden ratio
MAGNITUDE, ONES = 0x7FFF_FFFF, 0x3F80_0000  # of a float32: all bits but its sign, and the bits of 1.0
DROPPED = 13  # bits of a float32 that half precision has not
LEAST, STEP = 0x3880_0000, 2.0**-24 - 2.0**-36  # below 2^-14 numbers are 2^-24 apart; less what would move one that fits
INTERPRETED = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
Lanes = Any  # of one row


Wide = tuple[int, ...]  # its length is known to the compiler: the blocks that are handled at once
ONE, TWO, THREE, FOUR = (0,), (0, 0), (0, 0, 0), (0, 0, 0, 0)  # several chains of additions hide each other's latency
MOST_BLOCKS = len(FOUR)


def count_lanes(dtype: Any) -> int:
    """Return the number of lanes of a type of numbers; uint16 stands for half precision, which becomes float32."""
    return BYTES // max(int(np.dtype(dtype).itemsize), 4)


def lane_zeros(shape: int | tuple[int, ...], dtype: Any) -> Array:
    """Return zeros that begin at a multiple of BYTES, so that no block lies on two lines of the processor's cache."""
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    memory = np.zeros(size + BYTES, np.uint8)
    first = -memory.ctypes.data % BYTES
    found: Array = memory[first : first + size].view(dtype).reshape(shape)
    return found


class LanesType(types.Type):
    """The Numba type of lanes: one vector of `count` numbers for each block."""

    def __init__(self, dtype: Any, blocks: int = 1) -> None:
        self.dtype, self.count, self.blocks = dtype, BYTES * 8 // dtype.bitwidth, blocks
        super().__init__(name=f"Lanes({dtype}, {self.count}, {blocks})")


def _vector(lanes: LanesType) -> Any:
    return ir.VectorType(ir.FloatType() if lanes.dtype.bitwidth == 32 else ir.DoubleType(), lanes.count)


def _vectors(lanes: LanesType) -> Any:
    return ir.ArrayType(_vector(lanes), lanes.blocks) if lanes.blocks > 1 else _vector(lanes)


def _split(builder: Any, lanes: LanesType, value: Any) -> list[Any]:
    return [builder.extract_value(value, block) for block in range(lanes.blocks)] if lanes.blocks > 1 else [value]


def _join(builder: Any, lanes: LanesType, vectors: list[Any]) -> Any:
    if lanes.blocks == 1:
        return vectors[0]
    found = ir.Constant(_vectors(lanes), ir.Undefined)
    for block, each in enumerate(vectors):
        found = builder.insert_value(found, each, block)
    return found


@register_model(LanesType)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager: Any, lanes: LanesType) -> None:
        super().__init__(manager, lanes, _vectors(lanes))


class _Arithmetic(AbstractTemplate):
    def generic(self, args: Any, kws: Any) -> Any:
        if len(args) == 2 and isinstance(args[0], LanesType) and args[0] == args[1]:
            return signature(args[0], *args)
        return None


def _define(operation: Any, instruction: str) -> None:
    infer_global(operation)(type(f"_{instruction}", (_Arithmetic,), {"key": operation}))

    def lower(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        lanes = sig.return_type
        pairs = zip(*(_split(builder, lanes, each) for each in args), strict=True)
        return _join(builder, lanes, [getattr(builder, instruction)(*each, flags=("contract",)) for each in pairs])

    lower_builtin(operation, LanesType, LanesType)(lower)


for _operation, _instruction in (
    (operator.add, "fadd"),
    (operator.sub, "fsub"),
    (operator.mul, "fmul"),
    (operator.truediv, "fdiv"),
):
    _define(_operation, _instruction)


def _lanes_of(array_type: Any, blocks: int = 1) -> LanesType:
    return LanesType(types.float32 if array_type.dtype == types.uint16 else array_type.dtype, blocks)


def _kept(array_type: Any, lanes: LanesType) -> Any:
    """Return the type of a block in memory."""
    if array_type.dtype == types.int8:
        return ir.VectorType(ir.IntType(8), lanes.count)
    return ir.VectorType(ir.HalfType(), lanes.count) if array_type.dtype == types.uint16 else _vector(lanes)


def _block(context: Any, builder: Any, array_type: Any, array: Any, block: Any, lanes: LanesType, piece: int = 0) -> Any:
    """Return the pointer to a block of a contiguous array, or to one piece of a block of several."""
    whole = builder.mul(block, ir.Constant(block.type, lanes.count * lanes.blocks))
    first = builder.add(whole, ir.Constant(block.type, lanes.count * piece))
    place = builder.gep(context.make_array(array_type)(context, builder, array).data, [first])
    return builder.bitcast(place, _kept(array_type, lanes).as_pointer())


def _read(builder: Any, pointer: Any, array_type: Any, lanes: LanesType) -> Any:
    value = builder.load(pointer)
    value.align = array_type.dtype.bitwidth // 8
    if array_type.dtype == types.int8:
        return builder.sitofp(value, _vector(lanes))
    return builder.fpext(value, _vector(lanes)) if array_type.dtype == types.uint16 else value


def _write(builder: Any, value: Any, pointer: Any, array_type: Any, lanes: LanesType) -> None:
    if array_type.dtype == types.uint16:
        value = builder.fptrunc(_dithered(builder, value, lanes), _kept(array_type, lanes))
    builder.store(value, pointer).align = array_type.dtype.bitwidth // 8


def _dithered(builder: Any, value: Any, lanes: LanesType) -> Any:
    """Generate `_dithered_block`."""
    vector, whole = _vector(lanes), ir.VectorType(ir.IntType(32), lanes.count)

    def every(number: Any, kind: Any = whole) -> Any:
        return ir.Constant(kind, [number] * lanes.count)

    bits = builder.bitcast(value, whole)
    hashed = builder.mul(bits, every(HASH))
    more = builder.add(bits, builder.lshr(hashed, every(32 - DROPPED)))
    cut = builder.bitcast(builder.and_(more, every(-(1 << DROPPED))), vector)
    part = builder.bitcast(builder.or_(builder.lshr(hashed, every(9)), every(ONES)), vector)
    small = builder.fadd(value, builder.fmul(builder.fsub(part, every(1.5, vector)), every(STEP, vector)))
    is_small = builder.icmp_unsigned("<", builder.and_(bits, every(MAGNITUDE)), every(LEAST))
    return builder.select(is_small, small, cut)


def _load(typing: Any, array: Any, block: Any) -> Any:
    lanes = _lanes_of(array)
    return lanes(array, types.intp), _loading(lanes)


def _load_wide(typing: Any, array: Any, block: Any, wide: Any) -> Any:
    lanes = _lanes_of(array, len(wide))
    return lanes(array, types.intp, wide), _loading(lanes)


def _load_whole(typing: Any, array: Any, table: Any, block: Any) -> Any:
    lanes = LanesType(array.dtype)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _read(builder, _block(context, builder, table, args[1], args[2], lanes), table, lanes)

    return lanes(array, table, types.intp), generate


def _loading(lanes: LanesType) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        pointers = [_block(context, builder, sig.args[0], args[0], args[1], lanes, piece) for piece in range(lanes.blocks)]
        return _join(builder, lanes, [_read(builder, pointer, sig.args[0], lanes) for pointer in pointers])

    return generate


def _store(typing: Any, array: Any, block: Any, value: Any) -> Any:
    lanes = value

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        for piece, each in enumerate(_split(builder, lanes, args[2])):
            _write(builder, each, _block(context, builder, sig.args[0], args[0], args[1], lanes, piece), sig.args[0], lanes)
        return context.get_constant(types.none, None)

    return types.void(array, types.intp, lanes), generate


def _prefetch(typing: Any, array: Any, block: Any) -> Any:
    """Generate a hint, which never faults: a block outside the array is no error."""
    lanes = _lanes_of(array)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        byte, whole = ir.IntType(8).as_pointer(), ir.IntType(32)
        pointer = builder.bitcast(_block(context, builder, sig.args[0], args[0], args[1], lanes), byte)
        hint = cgutils.get_or_insert_function(
            builder.module, ir.FunctionType(ir.VoidType(), [byte, whole, whole, whole]), "llvm.prefetch.p0"
        )
        builder.call(hint, [pointer, *(ir.Constant(whole, each) for each in (0, 2, 1))])  # to read, to level 2, data
        return context.get_constant(types.none, None)

    return types.void(array, types.intp), generate


def _fill(typing: Any, array: Any, number: Any) -> Any:
    lanes = _lanes_of(array)
    return lanes(array, lanes.dtype), _filling(lanes)


def _fill_wide(typing: Any, array: Any, number: Any, wide: Any) -> Any:
    lanes = _lanes_of(array, len(wide))
    return lanes(array, lanes.dtype, wide), _filling(lanes)


def _filling(lanes: LanesType) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        vector = _vector(lanes)
        one = builder.insert_element(ir.Constant(vector, ir.Undefined), args[1], ir.Constant(ir.IntType(32), 0))
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), lanes.count), None)
        return _join(
            builder, lanes, [builder.shuffle_vector(one, ir.Constant(vector, ir.Undefined), everywhere)] * lanes.blocks
        )

    return generate


def _choose(typing: Any, test: Any, positives: Any, others: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = []
        for each, positive, other in zip(*(_split(builder, test, value) for value in args), strict=True):
            above = builder.fcmp_ordered(">", each, ir.Constant(each.type, None))
            found.append(builder.select(above, positive, other))
        return _join(builder, test, found)

    return test(test, test, test), generate


def _first(typing: Any, value: Any, wide: Any) -> Any:
    lanes = LanesType(value.dtype, len(wide))

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        return _join(builder, lanes, _split(builder, value, args[0])[: lanes.blocks])

    return lanes(value, wide), generate


def _gather(typing: Any, array: Any, table: Any, first: Any, step: Any, places: Any, block: Any) -> Any:
    """Generate one load for each lane: table[first + step * place]."""
    lanes = LanesType(array.dtype)
    whole = isinstance(table.dtype, types.Integer)

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        size, known = ir.IntType(64), context.make_array(sig.args[1])(context, builder, args[1]).data
        begin = builder.mul(args[5], ir.Constant(size, lanes.count))
        place = builder.gep(context.make_array(sig.args[4])(context, builder, args[4]).data, [begin])
        vector = ir.VectorType(ir.IntType(table.dtype.bitwidth), lanes.count) if whole else _vector(LanesType(table.dtype))
        found = ir.Constant(vector, ir.Undefined)
        for lane in range(lanes.count):
            row = builder.zext(builder.load(builder.gep(place, [ir.Constant(size, lane)])), size)
            entry = builder.add(args[2], builder.mul(args[3], row))
            found = builder.insert_element(found, builder.load(builder.gep(known, [entry])), ir.Constant(ir.IntType(32), lane))
        return builder.uitofp(found, _vector(lanes)) if whole else found

    return lanes(array, table, types.intp, types.intp, places, types.intp), generate


def _total(typing: Any, value: Any) -> Any:
    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        found = builder.extract_element(args[0], ir.Constant(ir.IntType(32), 0))
        for lane in range(1, value.count):
            found = builder.fadd(found, builder.extract_element(args[0], ir.Constant(ir.IntType(32), lane)))
        return found

    return value.dtype(value), generate


def _transpose(typing: Any, source: Any, blocks: Any, first: Any, target: Any, places: Any, start: Any) -> Any:
    """Generate loads of `count` blocks, log2(count) stages of shuffles, and as many stores."""
    lanes = LanesType(source.dtype)
    count = lanes.count

    def generate(context: Any, builder: Any, sig: Any, args: Any) -> Any:
        def pointer(array: int, row: int) -> Any:
            known = context.make_array(sig.args[array + 1])(context, builder, args[array + 1]).data
            block = builder.add(builder.load(builder.gep(known, [ir.Constant(ir.IntType(64), row)])), args[array + 2])
            return _block(context, builder, sig.args[array], args[array], block, lanes)

        rows = [_read(builder, pointer(0, row), source, lanes) for row in range(count)]
        step = count // 2
        while step:
            rows = _exchange(builder, rows, step)
            step //= 2
        for row, value in enumerate(rows):
            _write(builder, value, pointer(3, row), target, lanes)
        return context.get_constant(types.none, None)

    return types.void(source, blocks, types.intp, target, places, types.intp), generate


def _exchange(builder: Any, rows: list[Any], step: int) -> list[Any]:
    """Exchange the off-diagonal squares of `step` rows and columns: one stage of transposing a square of rows."""
    count = len(rows)
    found = list(rows)
    for row in range(count):
        if row & step:
            continue
        upper, lower = rows[row], rows[row + step]
        kept = [lane if not lane & step else lane - step + count for lane in range(count)]
        moved = [lane + step if not lane & step else lane + count for lane in range(count)]
        for place, mask in ((row, kept), (row + step, moved)):
            lanes = ir.Constant(ir.VectorType(ir.IntType(32), count), mask)
            found[place] = builder.shuffle_vector(upper, lower, lanes)
    return found


def _load_block(array: Array, block: int) -> Lanes:
    found = _blocks(array)[block]
    return found.view(np.float16).astype(np.float32) if array.dtype == np.uint16 else found.copy()


def _load_wide_block(array: Array, block: int, wide: Wide) -> Lanes:
    count = len(wide) * count_lanes(array.dtype)
    return array.reshape(-1)[block * count : (block + 1) * count].copy()


def _load_whole_block(array: Array, table: Array, block: int) -> Lanes:
    count = count_lanes(array.dtype)
    return table.reshape(-1)[block * count : (block + 1) * count].astype(array.dtype)


def _store_block(array: Array, block: int, value: Lanes) -> None:
    kept = _dithered_block(value).astype(np.float16).view(np.uint16) if array.dtype == np.uint16 else value
    array.reshape(-1)[block * len(value) : (block + 1) * len(value)] = kept


def _dithered_block(value: Lanes) -> Lanes:
    """Add a hash of the number, up to a step of half precision, and cut off what half precision cannot hold."""
    bits = value.view(np.uint32)
    hashed = bits * np.uint32(HASH)
    cut = (bits + (hashed >> np.uint32(32 - DROPPED)) & ~np.uint32((1 << DROPPED) - 1)).view(np.float32)
    part = (hashed >> np.uint32(9) | np.uint32(ONES)).view(np.float32) - np.float32(1.5)
    return np.where(bits & np.uint32(MAGNITUDE) < LEAST, value + part * np.float32(STEP), cut)


def _prefetch_block(array: Array, block: int) -> None:
    """Do nothing."""


def _fill_block(array: Array, number: float) -> Lanes:
    return np.full(count_lanes(array.dtype), number, np.float32 if array.dtype == np.uint16 else array.dtype)


def _fill_wide_block(array: Array, number: float, wide: Wide) -> Lanes:
    return np.full(len(wide) * count_lanes(array.dtype), number, array.dtype)


def _choose_block(test: Lanes, positive: Lanes, other: Lanes) -> Lanes:
    return np.where(test > 0, positive, other)


def _first_blocks(value: Lanes, wide: Wide) -> Lanes:
    return value[: len(wide) * count_lanes(value.dtype)]


def _gather_block(array: Array, table: Array, first: int, step: int, places: Array, block: int) -> Lanes:
    rows = places[block * count_lanes(array.dtype) :][: count_lanes(array.dtype)].astype(np.int64)
    return table.ravel()[first + step * rows].astype(array.dtype)


def _total_of_block(value: Lanes) -> float:
    return value.sum()  # type: ignore[no-any-return]


def _transpose_blocks(source: Array, blocks: Array, first: int, target: Array, places: Array, start: int) -> None:
    """Read the blocks first + blocks[lanes] int64 as rows of a square; write its columns as start + places[lanes] int64."""
    _blocks(target)[start + places] = _blocks(source)[first + blocks].T


def _blocks(array: Array) -> Array:
    return array.reshape(-1, count_lanes(array.dtype))


load: Any = _load_block if INTERPRETED else intrinsic(_load)
store: Any = _store_block if INTERPRETED else intrinsic(_store)
load_whole: Any = _load_whole_block if INTERPRETED else intrinsic(_load_whole)
prefetch: Any = _prefetch_block if INTERPRETED else intrinsic(_prefetch)
fill: Any = _fill_block if INTERPRETED else intrinsic(_fill)
load_wide: Any = _load_wide_block if INTERPRETED else intrinsic(_load_wide)
fill_wide: Any = _fill_wide_block if INTERPRETED else intrinsic(_fill_wide)
first_blocks: Any = _first_blocks if INTERPRETED else intrinsic(_first)
choose: Any = _choose_block if INTERPRETED else intrinsic(_choose)
gather: Any = _gather_block if INTERPRETED else intrinsic(_gather)
total: Any = _total_of_block if INTERPRETED else intrinsic(_total)
transpose: Any = _transpose_blocks if INTERPRETED else intrinsic(_transpose)
