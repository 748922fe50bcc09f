/** What streams in is drawn at most so often, in milliseconds: also the last of it, when nothing follows for a while. */
export function paced(draw: () => void, every: number) {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined
        draw()
      }, every)
    },
    end() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}
