import type { ReactNode } from 'react'
import { registerCommands } from '../commands/registry.ts'
import { DropListener } from '../files/operations/DropListener.tsx'
import { useTakeoverNotice } from '../settings/takeover/takeover-notice.ts'
import { commands } from './commands.ts'
import { Shell } from './Shell.tsx'

registerCommands(commands)

/** The frame of files, settings and error pages, with everything that can be done there. */
export function SidebarFrame({ children }: { children: ReactNode }) {
  useTakeoverNotice()
  return (
    <>
      <Shell>{children}</Shell>
      <DropListener />
    </>
  )
}
