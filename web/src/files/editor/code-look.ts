import { HighlightStyle, syntaxHighlighting } from '@codemirror/language'
import { EditorView } from '@codemirror/view'
import { tags } from '@lezer/highlight'

/** Colours come from the style sheet (Editor.module.css), so that a theme is an attribute and nothing more. */
export const highlightStyle = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.modifier], color: 'var(--code-keyword)' },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: 'var(--code-string)' },
  { tag: [tags.number, tags.bool, tags.null, tags.atom, tags.unit], color: 'var(--code-number)' },
  { tag: [tags.comment, tags.meta, tags.quote], color: 'var(--code-comment)', fontStyle: 'italic' },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.propertyName), tags.labelName],
    color: 'var(--code-function)',
  },
  { tag: [tags.typeName, tags.className, tags.namespace, tags.tagName], color: 'var(--code-type)' },
  { tag: [tags.propertyName, tags.attributeName, tags.definition(tags.propertyName)], color: 'var(--code-property)' },
  { tag: [tags.heading], color: 'var(--code-heading)', fontWeight: '600' },
  { tag: [tags.link, tags.url], color: 'var(--code-link)' },
  { tag: tags.strong, fontWeight: '700' },
  { tag: tags.emphasis, fontStyle: 'italic' },
  { tag: tags.strikethrough, textDecoration: 'line-through' },
  { tag: tags.invalid, color: 'var(--danger)' },
])

const chrome = EditorView.theme({
  '&': {
    height: '100%',
    color: 'var(--code-ink)',
    backgroundColor: 'var(--code-ground)',
    fontSize: 'var(--code-size)',
  },
  '&.cm-focused': { outline: 'none' },
  '.cm-scroller': { fontFamily: 'var(--mono)', lineHeight: '1.55' },
  '.cm-content': { paddingBlock: '12px 40vh', caretColor: 'var(--code-caret)' },
  '.cm-line': { paddingInline: '8px 16px' },
  '.cm-gutters': {
    backgroundColor: 'var(--code-ground)',
    color: 'var(--code-muted)',
    border: '0',
    paddingInlineStart: '8px',
  },
  '.cm-activeLine': { backgroundColor: 'var(--code-line)' },
  '.cm-activeLineGutter': { backgroundColor: 'var(--code-line)', color: 'var(--code-ink)' },
  '.cm-cursor': { borderInlineStartColor: 'var(--code-caret)', borderInlineStartWidth: '2px' },
  '&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground': {
    backgroundColor: 'var(--code-selection)',
  },
  '.cm-selectionMatch': { backgroundColor: 'var(--code-match)' },
  '.cm-matchingBracket': { backgroundColor: 'var(--code-match)', outline: '1px solid var(--code-muted)' },
  '.cm-foldPlaceholder': { backgroundColor: 'var(--code-line)', color: 'var(--code-muted)', border: '0' },
  '.cm-panels': { backgroundColor: 'var(--surface)', color: 'var(--ink)' },
  '&.cm-editor .cm-panels-top': { borderBottom: '1px solid var(--line)' },
  '.cm-searchMatch': { backgroundColor: 'var(--code-match)' },
  '.cm-searchMatch-selected': { backgroundColor: 'var(--code-selection)', outline: '1px solid var(--code-caret)' },
  '.cm-dialog': { padding: '7px 12px', font: 'var(--t-13)', fontFamily: 'var(--font)' },
  '.cm-dialog label': { fontSize: 'inherit' },
  '.cm-dialog-close': { insetBlockStart: '9px', inlineSize: '28px', blockSize: '28px', fontSize: '16px' },
  '.cm-textfield': {
    blockSize: '32px',
    marginInlineStart: '6px',
    backgroundColor: 'var(--field-bg)',
    color: 'var(--ink)',
    border: '1px solid var(--field-line)',
    borderRadius: '6px',
    padding: '4px 10px',
    fontSize: '13px',
  },
  '.cm-button': {
    blockSize: '32px',
    backgroundImage: 'none',
    backgroundColor: 'var(--float)',
    color: 'var(--ink)',
    border: '1px solid var(--line-strong)',
    borderRadius: '6px',
    padding: '4px 12px',
    fontSize: '13px',
  },
  '.cm-tooltip': {
    backgroundColor: 'var(--float)',
    color: 'var(--ink)',
    border: '1px solid var(--line)',
    borderRadius: '8px',
  },
  '.cm-tooltip-autocomplete > ul > li[aria-selected]': {
    backgroundColor: 'var(--accent-fill)',
    color: 'var(--on-accent)',
  },
})

export const codeLook = [chrome, syntaxHighlighting(highlightStyle)]
