import { useEffect, useEffectEvent, useState } from 'react'
import { useTranslation } from '../../i18n/i18n.ts'
import { TextField } from '../../ui/Field.tsx'
import { fallbackChunkSize, parseSize, writeSize } from './chunk-size.ts'

/** The pause in typing after which a text that is no size is replaced, in milliseconds. */
const fallBackDelay = 1500

interface ChunkSizeFieldProps {
  value: string
  onChange: (value: string) => void
}

/** A size such as 10MB. A text that is none becomes 1 MB, and the field says so. */
export function ChunkSizeField({ value, onChange }: ChunkSizeFieldProps) {
  const { t } = useTranslation()
  const [misread, setMisread] = useState<string | null>(null)
  const fallBack = useEffectEvent((text: string) => {
    setMisread(text)
    onChange(writeSize(fallbackChunkSize))
  })

  useEffect(() => {
    if (parseSize(value) !== null) return
    const timer = setTimeout(() => fallBack(value), fallBackDelay)
    return () => clearTimeout(timer)
  }, [value])

  return (
    <TextField
      label={t('settings.global.chunkSize')}
      help={misread === null ? t('settings.global.chunkSizeHelp') : undefined}
      error={misread === null ? undefined : t('settings.global.chunkSizeMisread', { text: misread })}
      value={value}
      dir="ltr"
      onChange={({ target }) => {
        setMisread(null)
        onChange(target.value)
      }}
    />
  )
}
