import { Injectable } from '@nestjs/common';
import { existingMcpSettings } from '@penstock/contracts';
import { malformed } from '../http/read-json';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import { profileId } from '../profiles/profile-id';
import { Reads } from '../reads/reads';
import { pipelinesText, profilesText, profileText, rowsText, tablesText } from './tool-texts';

/** Profiles that one look-up gives: more of them are not one person. */
const MAX_PROFILES = 10;
const MAX_PIPELINES = 100;

/** What a profile is looked up by: its id, or the value of a property. */
export interface ProfileSought {
  readonly id?: string | undefined;
  readonly property?: string | undefined;
  readonly value?: string | undefined;
}

/** Which pipelines are listed. */
export interface PipelinesSought {
  readonly search?: string | undefined;
  readonly cursor?: string | undefined;
}

/** A key of scope `mcp` opens these answers only, but they are made of what a key of scope `read` sees. */
const reading = ({ caller, ...metadata }: RequestMetadata): RequestMetadata => ({
  ...metadata,
  caller: { ...caller, scope: 'read' },
});

/** The answers of the tools, as JSON texts. All reject with a `Refusal` for a workspace without settings of the MCP server. */
@Injectable()
export class McpAnswers {
  constructor(
    private readonly reads: Reads,
    private readonly pipelineService: PipelineService,
  ) {}

  async tables(metadata: RequestMetadata): Promise<string> {
    const { workspace } = this.configured(metadata);
    const answer = await this.pipelineService.query('DescribeWarehouse', workspace, {}, metadata);
    return tablesText(answer);
  }

  async rows(statement: string, metadata: RequestMetadata): Promise<string> {
    const { workspace } = this.configured(metadata);
    const answer = await this.pipelineService.query(
      'QueryWarehouse',
      workspace,
      { statement },
      metadata,
    );
    return rowsText(answer);
  }

  /** @throws Refusal BadRequest unless it is sought by its id, or by a property and its value. */
  async profile(
    { id, property, value }: ProfileSought,
    metadata: RequestMetadata,
  ): Promise<string> {
    this.configured(metadata);
    if (id !== undefined && property === undefined && value === undefined)
      return this.profileOf(id, reading(metadata));
    if (id === undefined && property !== undefined && value !== undefined)
      return this.profilesWith(property, value, reading(metadata));
    throw malformed('', 'give either an id, or a property and its value');
  }

  /** @throws Refusal */
  pipelines({ search, cursor = '' }: PipelinesSought, { caller }: RequestMetadata): string {
    this.configured({ caller });
    const input = { limit: MAX_PIPELINES, cursor, ...(search !== undefined && { search }) };
    const list = this.reads.get('ListPipelines', input, caller);
    return pipelinesText(list.pipelines, list.cursor);
  }

  /** @returns the caller. @throws Refusal when the workspace has no settings of the MCP server */
  private configured({ caller }: Pick<RequestMetadata, 'caller'>): RequestMetadata['caller'] {
    existingMcpSettings(this.reads.get('GetWarehouse', {}, caller));
    return caller;
  }

  private async profileOf(id: string, metadata: RequestMetadata): Promise<string> {
    const wanted = { profile: profileId(id), properties: null };
    const { workspace } = metadata.caller;
    const found = await this.pipelineService.query('GetProfile', workspace, wanted, metadata);
    return profilesText([profileText(found)], false);
  }

  private async profilesWith(
    property: string,
    value: string,
    metadata: RequestMetadata,
  ): Promise<string> {
    const conditions = [{ property, operator: 'is', values: [value] }];
    const wanted = {
      ...{ limit: MAX_PROFILES, cursor: '', properties: null, order: null, orderDesc: null },
      ...{ filter: JSON.stringify({ logical: 'and', conditions }), count: false },
    };
    const { workspace } = metadata.caller;
    const list = await this.pipelineService.query('ListProfiles', workspace, wanted, metadata);
    return profilesText(list.profiles.map(profileText), list.cursor !== '');
  }
}
