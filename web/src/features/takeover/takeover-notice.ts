import { useEffect } from 'react'
import { can, useSession } from '../../api/session.ts'
import { markTakeoverSeen, readTakeover } from '../../api/takeover.ts'
import { askWith } from '../../prompts/prompts.ts'

/** Tells the first administrator who signs in after the move what changed. Until somebody says OK, it is told again. */
export function useTakeoverNotice(): void {
  const id = useSession()?.user.id

  useEffect(() => {
    if (id === undefined || !can('admin')) return
    const leaving = new AbortController()
    // Not worth a word when it fails: it is asked again with the next page.
    void tell(leaving.signal).catch(() => {})
    return () => leaving.abort()
  }, [id])
}

async function tell(signal: AbortSignal): Promise<void> {
  const report = await readTakeover(signal)
  if (report === null) return
  const wasRead = await askWith(async () => (await import('./TakeoverPrompt.tsx')).TakeoverPrompt, { report })
  if (wasRead !== null) await markTakeoverSeen()
}
