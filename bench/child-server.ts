/** A server process of this run: started, awaited until it answers, and stopped by the returned function. */
interface ChildServer {
  pid: number
  stop(): Promise<void>
}

export async function startServer(
  argv: string[],
  healthUrl: string,
  logPath: string,
  home?: string,
): Promise<ChildServer> {
  const log = Bun.file(logPath)
  // What a program keeps for its user goes to the home of this run.
  const env = home === undefined ? process.env : { ...process.env, XDG_CONFIG_HOME: home, XDG_CACHE_HOME: home }
  const child = Bun.spawn(argv, { stdin: 'ignore', stdout: log, stderr: log, env })
  const stop = async () => {
    child.kill('SIGTERM')
    const impatience = setTimeout(() => child.kill('SIGKILL'), 15_000)
    await child.exited
    clearTimeout(impatience)
  }
  // A machine that is busy with other work takes long to start it.
  const deadline = Date.now() + 60_000
  while (!(await answers(healthUrl))) {
    if (child.exitCode === null && Date.now() < deadline) await Bun.sleep(50)
    else {
      await stop()
      throw new Error(`${argv[0]} did not start:\n${await log.text()}`)
    }
  }
  return { pid: child.pid, stop }
}

/** Any answer will do: a web server over a bare folder has no page to give. */
async function answers(url: string): Promise<boolean> {
  try {
    const answer = await fetch(url)
    await answer.arrayBuffer()
    return answer.status < 500
  } catch {
    return false
  }
}
