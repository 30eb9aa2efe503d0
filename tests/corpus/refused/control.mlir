// refused: expected return
entry @f(%c: tile<i1>) {
  break
}
// -----
// refused: ends with break, expected continue
entry @f(%x: tile<i32>) {
  for %i in (%x to %x, step %x) : tile<i32> {
    break
  }
  return
}
// -----
// refused: ends with return, expected continue
entry @f(%x: tile<i32>) {
  for %i in (%x to %x, step %x) : tile<i32> {
    return
  }
  return
}
// -----
// refused: but no else branch
entry @f(%c: tile<i1>) {
  %y = if %c -> (tile<i1>) {
    yield %c : tile<i1>
  }
  return
}
// -----
// refused: from its
entry @f(%c: tile<i1>, %x: tile<i32>) {
  %y = if %c -> (tile<i1>) {
    yield %x : tile<i32>
  } else {
    yield %c : tile<i1>
  }
  return
}
// -----
// refused: passes
entry @f(%c: tile<i1>, %x: tile<i32>) {
  %y = loop iter_values(%v = %x) : tile<i32> -> tile<i32> {
    break %c : tile<i1>
  }
  return
}
// -----
// refused: passes
entry @f(%c: tile<i1>, %x: tile<i32>) {
  %y = for %i in (%x to %x, step %x) : tile<i32> iter_values(%v = %x) -> (tile<i32>) {
    continue %c : tile<i1>
  }
  return
}
// -----
// refused: has dim 1, expected 0 to less than the rank 1
entry @f() {
  %y = iota : tile<4xi32>
  %z = reduce %y dim=1 identities=[0 : i32] : tile<4xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
    yield %a : tile<i32>
  }
  return
}
// -----
// refused: has identity 0 of
entry @f() {
  %y = iota : tile<4xi32>
  %z = reduce %y dim=0 identities=[0 : i64] : tile<4xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
    yield %a : tile<i32>
  }
  return
}
// -----
// refused: identities for 1 operands
entry @f() {
  %y = iota : tile<4xi32>
  %z = reduce %y dim=0 identities=[0 : i32, 0 : i32] : tile<4xi32> -> tile<i32> (%a: tile<i32>, %b: tile<i32>) {
    yield %a : tile<i32>
  }
  return
}
// -----
// refused: has side effects
entry @f(%c: tile<i1>) {
  %y = iota : tile<4xi32>
  %z = scan %y dim=0 reverse=false identities=[0 : i32] : tile<4xi32> -> tile<4xi32> (%a: tile<i32>, %b: tile<i32>) {
    assert %c, "not pure" : tile<i1>
    yield %a : tile<i32>
  }
  return
}
// -----
// refused: expected a scalar tile of i32
entry @f() {
  %y = iota : tile<4xi32>
  %z = scan %y dim=0 reverse=false identities=[0 : i32] : tile<4xi32> -> tile<4xi32> (%a: tile<i32>, %b: tile<i32>) {
    %e = cmpi equal %a, %b, signed : tile<i32> -> tile<i1>
    yield %e : tile<i1>
  }
  return
}
// -----
// refused: is inside
entry @f(%c: tile<i1>, %x: tile<i32>) {
  for %i in (%x to %x, step %x) : tile<i32> {
    if %c {
      break
    }
  }
  return
}
// -----
// refused: is inside
entry @f(%c: tile<i1>, %x: tile<i32>) {
  for %i in (%x to %x, step %x) : tile<i32> {
    if %c {
      return
    }
  }
  return
}
// -----
// refused: is inside
entry @f(%c: tile<i1>) {
  if %c {
    continue
  }
  return
}
