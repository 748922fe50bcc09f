/** The commands of WebDriver (https://www.w3.org/TR/webdriver2/) that a page needs, whatever they travel over. */
export type Command = 'navigate' | 'execute' | 'actions' | 'find' | 'send-keys' | 'screenshot'

/** Sends a command and answers its value. `id` names the element that it is for. */
export type Send = <Answer>(command: Command, parameters: { id?: string } & Record<string, unknown>) => Promise<Answer>

type Action = Record<string, unknown>

const pauses = (count: number): Action[] => Array.from({ length: count }, () => ({ type: 'pause', duration: 0 }))
const keysDown = (keys: readonly string[]): Action[] => keys.map((value) => ({ type: 'keyDown', value }))
const keysUp = (keys: readonly string[]): Action[] => keys.map((value) => ({ type: 'keyUp', value }))

/** What a person does, in terms of those commands. */
export class WebDriver {
  readonly #send: Send

  constructor(send: Send) {
    this.#send = send
  }

  goto(url: string): Promise<unknown> {
    return this.#send('navigate', { url })
  }

  /** Runs a script in the page; `arguments` are what is given here. */
  execute<Answer>(script: string, ...args: unknown[]): Promise<Answer> {
    return this.#send('execute', { script, args })
  }

  /** Presses these keys one after the other, while others are held. */
  async press(keys: readonly string[], held: readonly string[] = []): Promise<void> {
    const pressed = keys.flatMap((key) => [...keysDown([key]), ...keysUp([key])])
    const actions = [...keysDown(held), ...pressed, ...keysUp(held)]
    await this.#send('actions', { actions: [{ type: 'key', id: 'keyboard', actions }] })
  }

  /** Clicks at a point of the view, perhaps more than once, while keys are held. */
  async click(x: number, y: number, times: number, held: readonly string[]): Promise<void> {
    const button = [
      { type: 'pointerDown', button: 0 },
      { type: 'pointerUp', button: 0 },
    ]
    const clicks = Array.from({ length: times }, () => button).flat()
    const move = { type: 'pointerMove', duration: 0, origin: 'viewport', x, y }
    // Both devices take their steps side by side: while one acts, the other one pauses.
    const keys = [...keysDown(held), ...pauses(clicks.length + 1), ...keysUp(held)]
    const pointer = [...pauses(held.length), move, ...clicks]
    await this.#send('actions', {
      actions: [
        { type: 'key', id: 'keyboard', actions: keys },
        { type: 'pointer', id: 'mouse', parameters: { pointerType: 'mouse' }, actions: pointer },
      ],
    })
  }

  async setInputFiles(selector: string, path: string): Promise<void> {
    const element = await this.#send<object>('find', { using: 'css selector', value: selector })
    await this.#send('send-keys', { id: String(Object.values(element)[0]), text: path })
  }

  async screenshot(): Promise<Buffer> {
    return Buffer.from(await this.#send<string>('screenshot', { full: false }), 'base64')
  }
}
