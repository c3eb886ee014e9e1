import { type Command, Option } from 'commander'
import { signatureFields } from '../../lib/config/signature-options.js'
import { CrawlError } from '../../lib/errors/crawl-error.js'
import { toHex } from '../../lib/record/json-fields.js'
import { formatLine } from '../../lib/record/line-format.js'
import { signatureOfFile } from '../check-signature.js'
import { type CommandContext, type CommandOptions, type ExitStatus, exitStatus } from './command.js'
import { textOption } from './option-values.js'
import { openInput, readAll } from './page-source.js'
import { stdinUse } from './stdin-rule.js'

export function declare(command: Command): Command {
  return command
    .argument('[file...]', 'pages or texts; - for stdin')
    .addOption(new Option('--class <name>', 'which signature (Nutch: db.signature.class)').choices(signatureFields.signatureClass.choices ?? []))
    .option('--content-type <type>', 'Content-Type of the files; without it their content tells')
    .addHelpText('after', '\nExample:\n  echo some words of text | millrace signature --class TextProfileSignature -')
}

export async function run(context: CommandContext, args: readonly string[], options: CommandOptions): Promise<ExitStatus> {
  const name = textOption(options, 'class')
  const { config } = context.configure(undefined, name === undefined ? {} : { 'db.signature.class': name })
  const files = args.length === 0 && stdinUse(args) !== 'none' ? ['-'] : args
  if (files.length === 0) throw new CrawlError('USAGE', 'no files: name some, or pipe one in')
  for (const file of files) {
    const signature = signatureOfFile(await readAll(openInput(context, file)), config, textOption(options, 'contentType'))
    context.stdout.write(formatLine(file, { signature: toHex(signature) }))
  }
  return exitStatus.done
}
