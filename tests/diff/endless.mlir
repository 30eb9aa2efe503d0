// Says that it runs, and waits until the first element of the buffer is not 0.
entry @wait(%flag: tile<ptr<i32>>) {
  %zero = constant <i32: 0> : tile<i32>
  %said = print_tko "the kernel runs\0A" -> token
  %end = loop iter_values(%before = %said) : token -> token {
    %value, %after = load_ptr_tko relaxed device %flag token=%before : tile<ptr<i32>> -> tile<i32>, token
    %set = cmpi not_equal %value, %zero, signed : tile<i32> -> tile<i1>
    if %set {
      break %after : token
    }
    continue %after : token
  }
  %stored = store_ptr_tko weak %flag, %zero token=%end : tile<ptr<i32>>, tile<i32> -> token
  return
}
