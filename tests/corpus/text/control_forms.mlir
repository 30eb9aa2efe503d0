// Each form of control flow: with and without values, terminators written and left out, one in another.
cuda_tile.module @control_forms {
  entry @branches(%c: tile<i1>, %d: tile<i1>, %p: tile<ptr<i32>>, %x: tile<i32>) {
    if %c {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
    }
    if %c {
    } else {
      %t = store_ptr_tko weak %p, %x : tile<ptr<i32>>, tile<i32> -> token
      yield
    }
    %v, %w = if %d -> (tile<i32>, tile<4xi32>) {
      %lane = iota : tile<4xi32>
      %inner = if %c -> (tile<i32>) {
        %twice = addi %x, %x : tile<i32>
        yield %twice : tile<i32>
      } else {
        yield %x : tile<i32>
      }
      yield %inner, %lane : tile<i32>, tile<4xi32>
    } else {
      %none = constant <i32: 0> : tile<4xi32>
      yield %x, %none : tile<i32>, tile<4xi32>
    }
    if %c {
      %t = store_ptr_tko weak %p, %v : tile<ptr<i32>>, tile<i32> -> token
      return
    } else {
      if %d {
        return
      }
    }
    return
  }

  entry @counted(%lower: tile<i32>, %upper: tile<i32>, %step: tile<i32>, %c: tile<i1>) {
    for %i in (%lower to %upper, step %step) : tile<i32> {
    }
    for %i in (%lower to %upper, step %step) : tile<i32> {
      if %c {
        continue
      }
      for %j in (%lower to %i, step %step) : tile<i32> {
        continue
      }
    }
    %a, %b = for %i in (%lower to %upper, step %step) : tile<i32> iter_values(%s = %lower, %t = %step) -> (tile<i32>, tile<i32>) {
      %u = addi %s, %i : tile<i32>
      if %c {
        continue %u, %s : tile<i32>, tile<i32>
      } else {
      }
      continue %t, %u : tile<i32>, tile<i32>
    }
    return
  }

  entry @open_ended(%c: tile<i1>, %x: tile<f32>, %n: tile<i64>) {
    loop {
      if %c {
        break
      }
    }
    loop {
      break
    }
    loop iter_values(%v = %x) : tile<f32> {
      %half = constant <f32: 0.5> : tile<f32>
      %w = mulf %v, %half : tile<f32>
      if %c {
        break
      } else {
        continue %w : tile<f32>
      }
      continue %w : tile<f32>
    }
    // What comes out need not be what is carried.
    %pair:2 = loop iter_values(%k = %n) : tile<i64> -> tile<f32>, tile<8xi64> {
      %lane = iota : tile<8xi64>
      break %x, %lane : tile<f32>, tile<8xi64>
    }
    %only = loop : tile<f32> {
      loop {
        break
      }
      break %pair#0 : tile<f32>
    }
    %none = make_token : token
    %ordered = loop iter_values(%t = %none) : token -> token {
      %next = join_tokens %t, %none : token
      if %c {
        break %next : token
      }
      continue %next : token
    }
    return
  }
}
