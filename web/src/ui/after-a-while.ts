import { useEffect, useState } from 'react'

/** Has somebody waited for so many milliseconds? What is done sooner needs no placeholder: it would only flicker. */
export function useAfterAWhile(milliseconds: number): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
  return isLong
}
