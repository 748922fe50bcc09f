import { QueryClientProvider } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { registerCommands } from '../commands/registry.ts'
import { DropListener } from '../files/operations/DropListener.tsx'
import { cache } from '../server/queries/cache.ts'
import { useTakeoverNotice } from '../settings/takeover/takeover-notice.ts'
import { useScope } from '../state/session-scope.ts'
import { commands } from './commands.ts'
import { Shell } from './Shell.tsx'
import { Stage } from './Stage.tsx'

registerCommands(commands)

/** The frame of files, settings and error pages: answers of the server, and everything that can be done there. */
export function SidebarFrame({ children }: { children: ReactNode }) {
  useTakeoverNotice()
  return (
    <QueryClientProvider client={cache(useScope())}>
      <Stage>
        <Shell>{children}</Shell>
        <DropListener />
      </Stage>
    </QueryClientProvider>
  )
}
