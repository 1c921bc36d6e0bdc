import type { IdentityView } from '@penstock/contracts';
import type { IdentitiesPage, IdentityPlace, StoredIdentity } from '@penstock/warehouses';
import { fitting, MAX_SEALED_BYTES } from '../read-model/fitting';

const viewOf = ({
  recordId,
  anonymous,
  anonymousIds: linked,
  connection,
  pipeline,
  profile,
  updatedAt,
}: StoredIdentity): IdentityView => {
  const anonymousIds = anonymous ? [recordId] : linked;
  return {
    ...(!anonymous && { userId: recordId }),
    ...(anonymousIds.length > 0 && { anonymousIds }),
    connection,
    pipeline,
    profile,
    updatedAt,
  };
};

/** As many identities as fit into an answer, and the place of the last one when others follow. */
export const shownIdentities = ({
  identities,
  isLast,
}: IdentitiesPage): {
  readonly identities: readonly IdentityView[];
  readonly next: IdentityPlace | undefined;
} => {
  const views = identities.map((identity) => ({
    place: identity.place,
    view: viewOf(identity),
  }));
  const { items, rest } = fitting(views, ({ view }) => view, MAX_SEALED_BYTES);
  const next = rest === undefined && isLast ? undefined : items.at(-1)?.place;
  return { identities: items.map(({ view }) => view), next };
};
