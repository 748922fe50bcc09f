/** Without letters and digits that look alike: it may have to be read out over the phone. */
const letters = 'abcdefghijkmnpqrstuvwxyzABCDEFGHJKLMNPQRSTUVWXYZ23456789'

const usualLength = 16

/** A password that cannot be guessed, of the usual length or of a larger one that is asked for. */
export function generatePassword(least = usualLength): string {
  const numbers = crypto.getRandomValues(new Uint32Array(Math.max(least, usualLength)))
  return Array.from(numbers, (number) => letters[number % letters.length]).join('')
}
