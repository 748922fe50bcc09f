// The key is part of the product's interface: scripts and older clients on the same origin read it.
const key = 'jwt'

export const storedToken = () => localStorage.getItem(key)

export const storeToken = (token: string) => localStorage.setItem(key, token)

export const forgetToken = () => localStorage.removeItem(key)
