import { type ReactNode, useEffect } from 'react'
import { type OtherKeys, useKeyboard } from '../commands/keyboard.ts'
import { dismissDialogs } from '../dialogs/ask.ts'
import { DialogStack } from '../dialogs/DialogStack.tsx'
import { useLocation } from '../navigation/location.ts'

/** Around every screen but the login: keys and dialogs. */
export function Stage({ otherKeys, children }: { otherKeys?: OtherKeys; children: ReactNode }) {
  const { pathname } = useLocation()
  useKeyboard(otherKeys)

  // biome-ignore lint/correctness/useExhaustiveDependencies: the address is the trigger, not an input
  useEffect(() => dismissDialogs, [pathname])

  return (
    <>
      {children}
      <DialogStack />
    </>
  )
}
