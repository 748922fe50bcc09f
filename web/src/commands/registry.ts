import { showFailure } from '../dialogs/show-failure.ts'
import { sessionSignal } from '../state/session-scope.ts'
import { createStore } from '../state/store.ts'
import { useWorkspace, type Workspace, workspace } from '../workspace/workspace.ts'
import type { Command, CommandId, MenuName } from './command.ts'
import { beginRunning } from './running.ts'

const commands = createStore<readonly Command[]>([])

const nothing = (): Promise<unknown> => Promise.resolve()
let loadRest = nothing

/** Called by the application with what the first screen needs, and how to load the rest, which registers itself. */
export function registerCommands(some: readonly Command[], rest = loadRest): void {
  commands.set([...commands.get(), ...some])
  loadRest = rest
}

/** In milliseconds. Where the rest takes longer, a menu opens without it, and gets it when it comes. */
const longestWait = 2000

/**
 * Waited for before what shows commands is opened: lines that come later would move those that are being clicked. Undefined
 * where all are there.
 */
export function untilComplete(): Promise<unknown> | undefined {
  if (loadRest === nothing) return undefined
  const isLoaded = loadRest().then(
    () => {
      loadRest = nothing
    },
    () => {},
  )
  return Promise.race([isLoaded, new Promise((resolve) => setTimeout(resolve, longestWait))])
}

export const allCommands = (): readonly Command[] => commands.get()

/** For components that show them all. */
export const useAllCommands = (): readonly Command[] => commands.use()

/** The sections of a menu with what is offered here; with `greyed` also what keeps its place without being offered. */
export function sectionsOf(menu: MenuName, workspace: Workspace, { greyed = false } = {}): Command[][] {
  const sections = new Map<number, { order: number; command: Command }[]>()
  for (const command of commands.get()) {
    const slot = command.menus?.[menu]
    if (slot === undefined || !(command.when(workspace) || (greyed && command.isShownGreyed?.(workspace) === true)))
      continue
    const [section, order] = slot
    sections.set(section, [...(sections.get(section) ?? []), { order, command }])
  }
  return [...sections]
    .toSorted(([a], [b]) => a - b)
    .map(([, section]) => section.toSorted((a, b) => a.order - b.order).map(({ command }) => command))
}

/** The same for components, which render again when something else is offered, and for no other change. */
export function useSectionsOf(menu: MenuName, options: { greyed?: boolean } = {}): Command[][] {
  commands.use()
  const written = useWorkspace((workspace) =>
    sectionsOf(menu, workspace, options)
      .map((section) => section.map(({ id, when }) => (when(workspace) ? id : `${id}${greyedSign}`)).join(' '))
      .join(sectionSign),
  )
  return written
    .split(sectionSign)
    .map((section) => section.split(' ').flatMap((id) => byId(id.replace(greyedSign, '')) ?? []))
}

const [greyedSign, sectionSign] = ['*', '|']

const byId = (id: string): Command | undefined => commands.get().find((command) => command.id === id)

export const useCommandsIn = (menu: MenuName): Command[] => useSectionsOf(menu).flat()

/** For components: the command where it is offered. */
export function useOffered(id: CommandId): Command | undefined {
  commands.use()
  return useWorkspace((workspace) => offered(id, workspace))
}

/** Undefined where it is not offered. */
const offered = (id: CommandId, workspace: Workspace): Command | undefined =>
  commands.get().find((command) => command.id === id && command.when(workspace))

/** Runs a command on the present workspace. A failure is shown as a toast. */
export async function run(command: Command): Promise<void> {
  const now = workspace()
  if (!command.when(now)) return
  const session = sessionSignal()
  const end = beginRunning(command.id)
  try {
    end((await command.run(now)) === 'done')
  } catch (error) {
    end(false)
    if (!session.aborted) showFailure(error)
  }
}

/** False where it is not offered. */
export function runById(id: CommandId): boolean {
  const command = offered(id, workspace())
  if (command !== undefined) void run(command)
  return command !== undefined
}
