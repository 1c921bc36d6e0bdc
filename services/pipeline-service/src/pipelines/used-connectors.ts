import { Connectors } from '@penstock/connectors';
import type { PipelineId } from '@penstock/contracts';
import { FILE_FORMATS } from '@penstock/files';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { LimitChecks } from '../command-handling/limits';
import type { CheckedMembers } from './pipeline-checks';

/** The code of the file format that a pipeline reads, if it reads files. */
const formatsOf = ({ imports }: CheckedMembers): readonly string[] =>
  imports?.source.kind === 'file' ? [imports.source.format] : [];

/** Checks how many connectors, which file formats are too, the pipelines of an organization use. */
@Injectable()
export class UsedConnectors {
  private readonly known: number;

  constructor(
    connectors: Connectors,
    private readonly limits: LimitChecks,
  ) {
    this.known = connectors.list.length + FILE_FORMATS.length;
  }

  /**
   * Checks that an organization may use in a pipeline what it is to use, inside the transaction of an append.
   *
   * @throws Refusal ConnectorsLimitReached
   */
  async check(
    db: EntityManager,
    id: PipelineId,
    { connector, members }: { readonly connector: string; readonly members: CheckedMembers },
    organization: string,
  ): Promise<void> {
    const codes = [connector, ...formatsOf(members)];
    await this.limits.use(db, { id, codes }, this.known, organization);
  }
}
