import { useEffect, useState } from 'react'

/** True once the component has been mounted for so long. Work that ends sooner needs no placeholder, which would flicker. */
export function useAfterAWhile(milliseconds: number): boolean {
  const [isLong, setIsLong] = useState(false)
  useEffect(() => {
    const timer = setTimeout(() => setIsLong(true), milliseconds)
    return () => clearTimeout(timer)
  }, [milliseconds])
  return isLong
}
