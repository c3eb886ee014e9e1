import { isJsonObject, parseLine } from '../record/line-format.js'
import type { ContentRef } from '../record/records.js'

/** How far the content files reached when an outcome was committed. Stands in each outcome's line beside the outcome, as `commit`. */
export interface CommitMark {
  readonly file: string
  readonly endBytes: number
}

/** What resuming reads of an outcome's line. */
export interface CommittedOutcome {
  readonly url: string
  readonly commit?: CommitMark
  readonly content?: ContentRef
}

/** Undefined if the line does not read as an outcome: then it was not written whole. */
export function committedOutcomeOf(line: string): CommittedOutcome | undefined {
  try {
    const { key, value } = parseLine(line)
    const { commit, content } = value
    return {
      url: key,
      ...(isJsonObject(commit) ? { commit: { file: String(commit.file), endBytes: Number(commit.endBytes) } } : {}),
      ...(isJsonObject(content) ? { content: contentOf(content) } : {}),
    }
  } catch {
    return undefined
  }
}

function contentOf(content: Readonly<Record<string, unknown>>): ContentRef {
  return { file: String(content.file), offsetBytes: Number(content.offsetBytes), lengthBytes: Number(content.lengthBytes) }
}
