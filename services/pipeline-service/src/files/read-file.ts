import { type Queries, Refusal } from '@penstock/contracts';
import { openTable } from '@penstock/files';
import { LogRequestContext } from '@penstock/messaging';
import { SlowRequests } from '@penstock/platform';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Handles, type RequestFor } from '../command-handling/handles';
import { excerptOf } from '../excerpts/excerpt-of';
import { FileLooks, FileSpool, lookAt } from './file-looks';

type Query = Queries['ReadFile'];

/** @throws Refusal BadRequest unless the sheet is there where the format has sheets, and only there. */
const checkSheet = (sheet: string | null, hasSheets: boolean): void => {
  if (hasSheets === (sheet !== null)) return;
  const message = hasSheets ? 'is required: the format has sheets' : 'the format has no sheets';
  throw new Refusal('BadRequest', { details: [{ path: '/sheet', message }] });
};

/** Reads the columns and the first records of a file of a storage. */
@Controller()
export class ReadFile {
  constructor(
    private readonly looks: FileLooks,
    private readonly spool: FileSpool,
    private readonly slow: SlowRequests,
  ) {}

  @Handles('ReadFile')
  handle(@Payload() request: RequestFor<'ReadFile'>, @Ctx() received: LogRequestContext) {
    const { context, in: wanted } = request;
    return this.slow.handle(request, received, async (until): Promise<Query['out']> => {
      const { reading, settings } = lookAt(wanted, this.spool, until);
      const { sheet } = wanted;
      checkSheet(sheet, reading.format.hasSheets);
      return this.looks.into(wanted, context.workspace, until, async (file, signal) => {
        const table = await openTable(file, reading, { settings, sheet: sheet ?? undefined });
        try {
          return await excerptOf(table, { ...wanted, tooLarge: 'InvalidFile' }, signal);
        } finally {
          await table.close();
        }
      });
    });
  }
}
