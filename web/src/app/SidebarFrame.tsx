import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useCommandKeys } from '../commands/command-keys.ts'
import { registerCommands } from '../commands/registry.ts'
import { Apart } from '../errors/Apart.tsx'
import { offerInPalette } from '../files/search/commands.ts'
import { cache } from '../server/queries/cache.ts'
import { useSession } from '../server/session.ts'
import { startSettings } from '../server/start-settings.ts'
import { useTakeoverNotice } from '../settings/takeover/takeover-notice.ts'
import { useScope } from '../state/session-scope.ts'
import { lazyPart } from '../ui/lazy-part.tsx'
import { applyTheme } from '../ui/theme.ts'
import { commands } from './commands.ts'
import { Shell } from './Shell.tsx'
import { Stage } from './Stage.tsx'

const DropListener = lazyPart(async () => (await import('../files/operations/DropListener.tsx')).DropListener)

registerCommands(commands, () => import('./later.tsx'))
offerInPalette(async () => (await import('./palette-entries.ts')).paletteEntries())

/** The frame of files, settings and error pages: answers of the server, and everything that can be done there. */
export function SidebarFrame({ children }: { children: ReactNode }) {
  useTakeoverNotice()
  useOwnTheme()
  return (
    <QueryClientProvider client={cache(useScope())}>
      <Stage otherKeys={useCommandKeys()}>
        <Shell>{children}</Shell>
        <Apart>
          <DropListener />
        </Apart>
      </Stage>
    </QueryClientProvider>
  )
}

/** The theme of the user, or that of the instance where the user has chosen none, and again once the session is over. */
function useOwnTheme(): void {
  const theme = useSession()?.user.theme || startSettings.Theme
  useEffect(() => {
    applyTheme(theme)
    return () => applyTheme(startSettings.Theme)
  }, [theme])
}
