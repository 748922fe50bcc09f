/** What a component test renders with: a document, in which nothing is laid out, so that every element has one size. */
import { afterAll, afterEach } from 'bun:test'
import { GlobalRegistrator } from '@happy-dom/global-registrator'

GlobalRegistrator.register({ url: 'http://127.0.0.1/', width: 1440, height: 900 })
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true })

const size = { width: 1200, height: 800 }
const measures = {
  clientWidth: size.width,
  clientHeight: size.height,
  offsetWidth: size.width,
  offsetHeight: size.height,
}
for (const [name, value] of Object.entries(measures))
  Object.defineProperty(HTMLElement.prototype, name, { configurable: true, get: () => value })
HTMLElement.prototype.getBoundingClientRect = () => new DOMRect(0, 0, size.width, size.height)

// Only now: the library looks for a document when it is loaded, and a static import is loaded before this line.
export const { act, cleanup, fireEvent, render, screen, within } = await import('@testing-library/react')
afterEach(cleanup)
afterAll(() => GlobalRegistrator.unregister())
