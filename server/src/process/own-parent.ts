import { type Channel, channelOver } from './channel.ts'

/** The parent of this process, where that is one of several that serve. */
export interface OwnParent extends Channel {
  /** Called when the parent is gone: without it nothing reads the log or passes signals on. */
  onGone(handler: () => void): void
}

/** The channel to the process that has started this one. Until `onGone` is called, this process ends with its parent. */
export function ownParent(): OwnParent {
  const channel = channelOver((message) => process.send?.(message))
  let gone: () => void = () => process.exit(1)
  process.on('message', channel.take)
  process.on('disconnect', () => {
    channel.close()
    gone()
  })
  return {
    ...channel,
    onGone(handler) {
      gone = handler
    },
  }
}
