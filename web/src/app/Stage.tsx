import { QueryClientProvider } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'
import { useKeyboard } from '../commands/keyboard.ts'
import { PromptStack } from '../dialogs/PromptStack.tsx'
import { dismissPrompts } from '../dialogs/prompts.ts'
import { useLocation } from '../navigation/location.ts'
import { cache } from '../server/queries/cache.ts'
import { useScope } from '../state/session-scope.ts'

/** Around every screen but the login: answers of the server, keys, dialogs. */
export function Stage({ children }: { children: ReactNode }) {
  const { pathname } = useLocation()
  useKeyboard()

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the trigger, not an input
  useEffect(() => dismissPrompts, [pathname])

  return (
    <QueryClientProvider client={cache(useScope())}>
      {children}
      <PromptStack />
    </QueryClientProvider>
  )
}
