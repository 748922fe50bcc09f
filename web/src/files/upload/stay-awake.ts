/** Keeps the screen of a phone on: when it goes dark, the browser stops sending. Answers how to let it sleep again. */
export function stayAwake(): () => void {
  if (!('wakeLock' in navigator) || !matchMedia('(pointer: coarse)').matches) return () => {}
  let lock: WakeLockSentinel | null = null
  let isOver = false

  async function hold() {
    // Refused on a low battery. Then it sleeps, and the upload goes on when the person comes back.
    const held = await navigator.wakeLock.request('screen').catch(() => null)
    if (isOver) await held?.release()
    else lock = held
  }

  // Looking away ends it; looking back takes it up again.
  const onReturn = () => void (document.visibilityState === 'visible' && hold())
  document.addEventListener('visibilitychange', onReturn)
  void hold()
  return () => {
    isOver = true
    document.removeEventListener('visibilitychange', onReturn)
    void lock?.release()
  }
}
