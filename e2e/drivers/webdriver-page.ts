import { setTimeout as wait } from 'node:timers/promises'
import { type Found, library, type Step, search } from './element-search.ts'
import type { EngineLocator, EnginePage, Role } from './engine.ts'
import type { WebDriver } from './webdriver.ts'

/** Generous: a busy machine is slow, and a slow answer is not a wrong one. */
const patience = 30_000
const interval = 50

const keyCodes: Record<string, string> = {
  Shift: '\uE008',
  ControlOrMeta: '\uE009',
  Enter: '\uE006',
  Escape: '\uE00C',
  Space: ' ',
  End: '\uE010',
  ArrowRight: '\uE014',
  Delete: '\uE017',
  F2: '\uE032',
}

const codeOf = (key: string): string => keyCodes[key] ?? key

/** Another document, to which a double click may lead, knows nothing of it. */
const noteClicks = `
  if (window.lastClickCount === undefined)
    addEventListener('click', ({ detail }) => { window.lastClickCount = detail }, { capture: true })
  window.lastClickCount = 0`

/** A page that is driven by WebDriver and used as a page of Playwright is. */
export class WebDriverPage implements EnginePage {
  readonly #driver: WebDriver
  readonly keyboard: EnginePage['keyboard']

  constructor(driver: WebDriver) {
    this.#driver = driver
    this.keyboard = {
      press: (key) => {
        const held = key.split('+')
        const last = held.pop() ?? ''
        return driver.press([codeOf(last)], held.map(codeOf))
      },
      type: (text) => driver.press([...text]),
    }
  }

  goto(url: string): Promise<unknown> {
    return this.#driver.goto(url)
  }

  getByRole(role: Role, options: { name?: string; exact?: boolean } = {}): EngineLocator {
    return new WebDriverLocator(this.#driver, []).getByRole(role, options)
  }

  getByLabel(text: string, options: { exact?: boolean } = {}): EngineLocator {
    return new WebDriverLocator(this.#driver, []).getByLabel(text, options)
  }

  setInputFiles(selector: string, path: string): Promise<void> {
    return this.#driver.setInputFiles(selector, path)
  }

  screenshot(): Promise<Buffer> {
    return this.#driver.screenshot()
  }
}

class WebDriverLocator implements EngineLocator {
  readonly #driver: WebDriver
  readonly #steps: readonly Step[]

  constructor(driver: WebDriver, steps: readonly Step[]) {
    this.#driver = driver
    this.#steps = steps
  }

  getByRole(role: Role, { name, exact }: { name?: string; exact?: boolean } = {}): EngineLocator {
    return this.#with({ role, ...(name === undefined ? {} : { name }), isExact: exact === true })
  }

  getByLabel(text: string, { exact }: { exact?: boolean } = {}): EngineLocator {
    return this.#with({ name: text, isExact: exact === true })
  }

  async click({ modifiers = [] }: { modifiers?: 'ControlOrMeta'[] } = {}): Promise<void> {
    await this.#clickAt(1, modifiers.map(codeOf))
  }

  /** A browser counts clicks by the clock. On a busy machine the second one may come too late: then both are repeated. */
  async dblclick(): Promise<void> {
    for (let lastCount = 1; lastCount === 1; ) {
      await this.#driver.execute(noteClicks)
      await this.#clickAt(2, [])
      lastCount = (await this.#driver.execute<number | null>('return window.lastClickCount')) ?? 0
    }
  }

  async fill(text: string): Promise<void> {
    await this.click()
    await this.#driver.press(['a'], [codeOf('ControlOrMeta')])
    await this.#driver.press([...text])
  }

  async getAttribute(name: string): Promise<string | null> {
    const found = await this.#until(({ count }) => count > 0, name)
    return found.attribute
  }

  async waitFor({ state }: { state: 'visible' | 'hidden' } = { state: 'visible' }): Promise<void> {
    await this.#until(({ count }) => (state === 'visible' ? count > 0 : count === 0))
  }

  #with(step: Step): EngineLocator {
    return new WebDriverLocator(this.#driver, [...this.#steps, step])
  }

  /** Twice at the same point: what moves is not clicked. */
  async #clickAt(times: number, held: readonly string[]): Promise<void> {
    let last: Found | null = null
    const { x, y } = await this.#until((found) => {
      const isStill = last?.x === found.x && last.y === found.y
      last = found
      return found.isReady && isStill
    })
    await this.#driver.click(x, y, times, held)
  }

  async #until(isMet: (found: Found) => boolean, attribute: string | null = null): Promise<Found> {
    const deadline = Date.now() + patience
    for (;;) {
      const found = await this.#look(attribute)
      if (found.count > 1) throw new Error(`${found.count} elements are ${this}`)
      if (isMet(found)) return found
      if (Date.now() > deadline) throw new Error(`Waited in vain for ${this}: ${JSON.stringify(found)}`)
      await wait(interval)
    }
  }

  async #look(attribute: string | null): Promise<Found> {
    const script = `return (${search})(arguments[0], arguments[1])`
    const find = () => this.#driver.execute<Found | null>(script, this.#steps, attribute)
    const found = await find()
    if (found !== null) return found
    await this.#driver.execute(library)
    return (await find()) ?? { count: 0, x: 0, y: 0, isReady: false, attribute: null }
  }

  toString(): string {
    return this.#steps.map(({ role, name }) => `${role ?? 'field'} "${name ?? ''}"`).join(' > ')
  }
}
