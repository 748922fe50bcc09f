import { useEffect } from 'react'
import { askWith } from '../../dialogs/ask.ts'
import { needTexts } from '../../i18n/i18n.ts'
import { markTakeoverSeen, readTakeover } from '../../server/queries/takeover.ts'
import { can, useSession } from '../../server/session.ts'

/** Shows administrators what changed with the move from File Browser, after each sign-in until one has read it. */
export function useTakeoverNotice(): void {
  const id = useSession()?.user.id

  useEffect(() => {
    if (id === undefined || !can('admin')) return
    const leaving = new AbortController()
    // A failure is not shown: the next page asks again.
    void tell(leaving.signal).catch(() => {})
    return () => leaving.abort()
  }, [id])
}

async function tell(signal: AbortSignal): Promise<void> {
  const report = await readTakeover(signal)
  if (report === null) return
  const wasRead = await askWith(
    async () => {
      const [{ TakeoverDialog }] = await Promise.all([import('./TakeoverDialog.tsx'), needTexts('history')])
      return TakeoverDialog
    },
    { report },
  )
  if (wasRead !== null) await markTakeoverSeen()
}
