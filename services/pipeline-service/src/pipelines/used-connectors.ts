import { Connectors } from '@penstock/connectors';
import type { PipelineDefinition, PipelineId } from '@penstock/contracts';
import { FILE_FORMATS } from '@penstock/files';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { LimitChecks } from '../command-handling/limits';
import type { CheckedMembers } from './pipeline-checks';

/** The code of the format of the files that a pipeline reads or writes, if it does. */
export const formatOf = ({
  imports,
  exports,
}: Pick<PipelineDefinition, 'imports' | 'exports'>): string | undefined => {
  const place = imports?.source ?? exports?.destination;
  return place?.kind === 'file' ? place.format : undefined;
};

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
    const format = formatOf(members);
    const codes = format === undefined ? [connector] : [connector, format];
    await this.limits.use(db, { id, codes }, this.known, organization);
  }
}
