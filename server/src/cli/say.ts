// Who pipes it into 'head' has had enough, and that is all there is to it.
for (const stream of [process.stdout, process.stderr])
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })

/** What was asked for goes to standard output, alone: people pipe it. */
export const say = (text: string): void => void process.stdout.write(`${text}\n`)

/** What is good to know goes beside it. */
export const notice = (text: string): void => void process.stderr.write(`${text}\n`)

export const ignoredRedis = '--redisCacheUrl is ignored: uploads are remembered in the database'
