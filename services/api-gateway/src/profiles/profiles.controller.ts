import { Controller, Get, Param, Query } from '@nestjs/common';
import { type Json, parseJson } from '@penstock/schema';
import { PROFILE_EVENTS_QUERY, profileEventsQuery } from '../events/events-query';
import { jsonInteger, jsonObject } from '../http/json-object';
import { Performs, Tagged } from '../openapi/schema/describe';
import { PROPERTIES } from '../openapi/schema/parameters';
import { Metadata } from '../pipeline-service/metadata';
import { PipelineService, type RequestMetadata } from '../pipeline-service/pipeline-service';
import { MAX_VALUE_CURSOR, pageOf, type QueryParameters } from '../validation/page';
import { propertiesParameter } from '../validation/properties-parameter';
import { IDENTITIES_QUERY, identityJson } from './identity-json';
import { LINKS_QUERY, linkJson } from './link-json';
import { pastJson } from './past-json';
import { profileId } from './profile-id';
import { profileJson } from './profile-json';
import { PROFILES_QUERY, profilesQuery } from './profiles-query';

/** The profiles in the warehouse. */
@Tagged('Profiles')
@Controller('v1/profiles')
export class ProfilesController {
  constructor(private readonly pipelineService: PipelineService) {}

  @Performs('ListProfiles', 'List profiles', {
    description: [
      'Those that were updated last are the first ones, unless there is an `order`: the path of a property whose values have',
      'one. Profiles without a value are the last ones in both directions, equal ones go by their ids. Texts are ordered by',
      'the code points of their first 128 characters. Profiles that are written between two pages move no others. A page may be',
      'shorter than `limit` when its profiles are large. A cursor is valid for 24 hours, with the same properties, filter and',
      'order. Profiles are not filtered by properties of kind json.',
    ].join(' '),
    answer: 'ProfileList',
    query: PROFILES_QUERY,
  })
  @Get()
  async list(
    @Metadata() metadata: RequestMetadata,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const { profiles, schema, total, cursor } = await this.pipelineService.query(
      'ListProfiles',
      metadata.caller.workspace,
      profilesQuery(query),
      metadata,
    );
    return jsonObject({
      profiles: profiles.map(profileJson),
      schema: parseJson(schema),
      total: total === null ? null : jsonInteger(total),
      cursor,
    });
  }

  @Performs('GetProfile', 'Get profile', {
    description: [
      'An id that was merged into another one answers the profile that is left, with `mergedFrom`. `attributes` leaves out',
      'the properties that the profile does not have.',
    ].join(' '),
    answer: 'Profile',
    query: [PROPERTIES],
  })
  @Get(':profile')
  async get(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const properties = propertiesParameter(query);
    return profileJson(await this.profile(path, properties, metadata));
  }

  @Performs('GetProfile', 'Get attributes of a profile', { answer: 'ProfileAttributes' })
  @Get(':profile/attributes')
  async attributes(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
  ): Promise<Json> {
    const { attributes } = await this.profile(path, null, metadata);
    return jsonObject({ attributes: parseJson(attributes) });
  }

  @Performs('ListProfileIdentities', 'List identities of a profile', {
    description: [
      'The records of sources that were resolved to be the profile; of an id that was merged into another one, those of the',
      'profile that is left. That which was made last is the first. A page may be shorter than `limit` when its identities',
      'are large. A cursor is valid for 24 hours.',
    ].join(' '),
    answer: 'IdentityList',
    query: IDENTITIES_QUERY,
  })
  @Get(':profile/identities')
  async identities(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const page = pageOf(query);
    const profile = profileId(path);
    const { identities, cursor } = await this.pipelineService.query(
      'ListProfileIdentities',
      metadata.caller.workspace,
      { ...page, profile },
      metadata,
    );
    return jsonObject({ identities: identities.map(identityJson), cursor });
  }

  @Performs('ListProfileLinks', 'List links of a profile', {
    description: [
      'Why the identities of a profile are one person: which rule and value joins which of them directly. `a`: the same',
      'record id in two pipelines of a connection; `b`: an anonymous id and the user who had it first; `c`: a previous id; `d`:',
      'the same value of an identifier, where none of higher priority differs. What was written since the last resolution is',
      'not in them. A cursor is valid for 24 hours.',
    ].join(' '),
    answer: 'ProfileLinkList',
    query: LINKS_QUERY,
  })
  @Get(':profile/links')
  async links(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const page = pageOf(query, MAX_VALUE_CURSOR);
    const profile = profileId(path);
    const { links, cursor } = await this.pipelineService.query(
      'ListProfileLinks',
      metadata.caller.workspace,
      { ...page, profile },
      metadata,
    );
    return jsonObject({ links: links.map(linkJson), cursor });
  }

  @Performs('ListProfileHistory', 'List history of a profile', {
    description: [
      'What has happened to the profile, in that order, a few seconds behind: how it was made, merged with others, and split;',
      'of one that is gone, too. `from` are the profiles before, `to` those after it. A cursor is valid for 24 hours.',
    ].join(' '),
    answer: 'ProfileHistory',
    query: LINKS_QUERY,
  })
  @Get(':profile/history')
  async history(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const page = pageOf(query, MAX_VALUE_CURSOR);
    const profile = profileId(path);
    const { history, cursor } = await this.pipelineService.query(
      'ListProfileHistory',
      metadata.caller.workspace,
      { ...page, profile },
      metadata,
    );
    return jsonObject({ history: history.map(pastJson), cursor });
  }

  @Performs('ListProfileEvents', 'List events of a profile', {
    description: [
      'Newest first; of an id that was merged into another one, those of the profile that is left. A page may be shorter than',
      '`limit` when its events are large. A cursor is valid for 24 hours, for the same list.',
    ].join(' '),
    answer: 'StoredEventList',
    query: PROFILE_EVENTS_QUERY,
  })
  @Get(':profile/events')
  async events(
    @Metadata() metadata: RequestMetadata,
    @Param('profile') path: string,
    @Query() query: QueryParameters,
  ): Promise<Json> {
    const wanted = profileEventsQuery(query);
    const profile = profileId(path);
    const { events, cursor } = await this.pipelineService.query(
      'ListProfileEvents',
      metadata.caller.workspace,
      { ...wanted, profile },
      metadata,
    );
    return jsonObject({ events: events.map((event) => parseJson(event)), cursor });
  }

  private profile(path: string, properties: readonly string[] | null, metadata: RequestMetadata) {
    const profile = profileId(path);
    const { workspace } = metadata.caller;
    return this.pipelineService.query('GetProfile', workspace, { profile, properties }, metadata);
  }
}
