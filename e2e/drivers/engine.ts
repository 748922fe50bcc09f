import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'

/** The roles that the flows look for. */
export type Role =
  | 'alert'
  | 'alertdialog'
  | 'button'
  | 'dialog'
  | 'form'
  | 'grid'
  | 'heading'
  | 'img'
  | 'link'
  | 'list'
  | 'navigation'
  | 'region'
  | 'row'
  | 'searchbox'
  | 'textbox'

interface ByName {
  name: string
  /** Without it a part of the name is enough, in upper or lower case. */
  exact?: boolean
}

/** The part of Playwright's locator that the flows need. Actions wait for one element that can be used. */
export interface EngineLocator {
  getByRole(role: Role, options?: ByName): EngineLocator
  getByLabel(text: string, options?: { exact?: boolean }): EngineLocator
  click(options?: { modifiers?: 'ControlOrMeta'[] }): Promise<void>
  dblclick(): Promise<void>
  fill(text: string): Promise<void>
  getAttribute(name: string): Promise<string | null>
  waitFor(options?: { state: 'visible' | 'hidden' }): Promise<void>
}

/** The part of Playwright's page that the flows need. */
export interface EnginePage extends Pick<EngineLocator, 'getByRole' | 'getByLabel'> {
  goto(url: string): Promise<unknown>
  /** The path of a file on this machine, for the field that a selector names. */
  setInputFiles(selector: string, path: string): Promise<void>
  screenshot(): Promise<Buffer>
  keyboard: {
    /** A key by the name that Playwright gives it, after the keys that are held: `ControlOrMeta+Shift+F`. */
    press(key: string): Promise<void>
    type(text: string): Promise<void>
  }
}

/** A browser that was started for one worker. Each page has storage of its own. */
export interface Engine {
  open(): Promise<{ page: EnginePage; close(): Promise<void> }>
  stop(): Promise<void>
}

export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
  const exit = once(child, 'exit')
  child.kill()
  await exit
}
