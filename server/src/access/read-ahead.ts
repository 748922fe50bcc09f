/** A folder of a tree that has been read. */
export interface TreeLevel<Place> {
  /** The folders in it that the walk enters, in this order. */
  readonly folders: Iterator<Place>
}

interface Node<Place, Level> {
  readonly place: Place
  readonly reading: Promise<Level>
  /** Once it has been read. */
  level?: Level
  /** Folders in it that are being read, or have been, before the walk enters them. */
  readonly ahead: Node<Place, Level>[]
}

export interface ReadAhead<Level> {
  /** The next folder inside of the one that the walk is in; fails if it cannot be read, and then it is not entered. */
  enter(): Promise<Level>
  /** Back to the folder above. */
  leave(): void
}

/** So many folders are read at the same time. */
const mostReading = 8
/** So many have been read and wait to be entered. A large one is not kept: it is read again when its turn comes. */
const mostWaiting = 32

/**
 * Reads folders of a tree before a walk enters them, in the order in which it will, so that a thread reads while the event
 * loop works on what has come. The first ones are read one by one: a walk that ends soon has read little in vain.
 */
export function readAhead<Place, Level extends TreeLevel<Place>>(
  start: Level,
  read: (place: Place, hold?: () => void) => Promise<Level>,
): ReadAhead<Level> {
  type Folder = Pick<Node<Place, Level>, 'level' | 'ahead'>
  const entered: Folder[] = [{ level: start, ahead: [] }]
  let [areReading, areWaiting, enteredCount] = [0, 0, 0]

  function begin(place: Place): Node<Place, Level> {
    areReading += 1
    areWaiting += 1
    const reading = read(place, refuseLarge)
    const node: Node<Place, Level> = { place, reading, ahead: [] }
    // An error is thrown where the folder is entered; until then it must not count as unhandled.
    reading
      .then(
        (level) => {
          node.level = level
        },
        () => {},
      )
      .finally(() => {
        areReading -= 1
      })
    return node
  }

  const mayBegin = () => areReading < Math.min(mostReading, enteredCount) && areWaiting < mostWaiting

  function fill({ level, ahead }: Folder): void {
    for (const node of ahead) if (node.level !== undefined && mayBegin()) fill(node)
    while (level !== undefined && mayBegin()) {
      const { done, value } = level.folders.next()
      if (done) return
      ahead.push(begin(value))
    }
  }

  function next({ level, ahead }: Folder): Node<Place, Level> {
    const node = ahead.shift() ?? begin(level?.folders.next().value)
    areWaiting -= 1
    return node
  }

  return {
    async enter() {
      const node = next(entered.at(-1) as Folder)
      enteredCount += 1
      for (const folder of entered.toReversed()) fill(folder)
      const level = await node.reading.catch((error: unknown) => {
        if (error instanceof TooLarge) return read(node.place)
        throw error
      })
      entered.push({ level, ahead: node.ahead })
      return level
    },
    leave: () => void entered.pop(),
  }
}

class TooLarge extends Error {}

function refuseLarge(): never {
  throw new TooLarge()
}
