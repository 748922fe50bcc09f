import type { Plugin } from 'vite'

const original = "'allow-same-origin allow-scripts'"
const closedRoot = "attachShadow({ mode: 'closed' })"
const openRoot = "attachShadow({ mode: 'open' })"
const isOldEngine = '/AppleWebKit/.test(navigator.userAgent) && !/Chrom/.test(navigator.userAgent)'

/**
 * The frames in which books are shown may not run scripts. The library allows them for the sake of WebKit, where a
 * frame without them hears no clicks; only there it stays so, and the page's policy and the sanitizer have to do.
 */
export function bookSandbox(): Plugin {
  return {
    name: 'book-sandbox',
    transform(code, id) {
      const [, file] = /foliate-js\/(view|paginator|fixed-layout)\.js/.exec(id) ?? []
      if (file === undefined) return null
      // Open, so that tests and assistive technology see the same book as everybody.
      const opened = code.replaceAll(closedRoot, openRoot)
      if (file === 'view') return { code: opened, map: null }
      if (!code.includes(original)) this.error(`The sandbox of ${id} is not where it was`)
      return { code: opened.replace(original, `${isOldEngine} ? ${original} : 'allow-same-origin'`), map: null }
    },
  }
}
