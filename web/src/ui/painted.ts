/** In milliseconds. A page that cannot be seen is not painted. */
const longest = 50

/**
 * What was set is on the screen. Work that takes long and follows at once would keep it from there: a listing that comes
 * fast leaves the browser no moment to paint its first rows.
 */
export const painted = (): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, longest)
    requestAnimationFrame(() => {
      clearTimeout(timer)
      setTimeout(resolve)
    })
  })
