import type { Batch } from './batch';

/** Follows the parents until all are the last ones: each round doubles the way that was gone. */
const flatten = async (batch: Batch): Promise<void> => {
  const { parents } = batch.tables;
  const jump = `
    UPDATE ${parents} AS p SET parent = q.parent FROM ${parents} AS q WHERE q.node = p.parent`;
  while ((await batch.write('joins', jump)) > 0);
};

/** Leaves the pairs between what is not in one group yet. @returns how many they are */
const contract = async (batch: Batch): Promise<number> => {
  const { contracted, edges, parents } = batch.tables;
  await batch.fill(
    'contracted',
    'joins',
    `INSERT INTO ${contracted} (one, other)
     SELECT DISTINCT least(one, other), greatest(one, other)
     FROM (SELECT coalesce(p.parent, e.one) AS one, coalesce(q.parent, e.other) AS other
           FROM ${edges} AS e LEFT JOIN ${parents} AS p ON p.node = e.one
           LEFT JOIN ${parents} AS q ON q.node = e.other) AS each
     WHERE one <> other`,
  );
  await batch.empty('edges');
  const left = await batch.fill(
    'edges',
    'joins',
    `INSERT INTO ${edges} (one, other) SELECT one, other FROM ${contracted}`,
  );
  await batch.empty('contracted');
  return left;
};

/**
 * Finds the groups of nodes that are connected, each named by its smallest node. In each round every node goes to the
 * smallest of its smaller neighbours. One that stays has taken a neighbour in, or has a smaller one in the next round: so
 * two rounds halve the nodes at least, whatever their order.
 */
export const connectNodes = async (batch: Batch): Promise<void> => {
  const { edges, labels, parents } = batch.tables;
  await batch.fill(
    'labels',
    'joins',
    `INSERT INTO ${labels} (node, label)
     SELECT node, node FROM (SELECT one AS node FROM ${edges} UNION SELECT other FROM ${edges}) AS each`,
  );
  for (let left = 1; left > 0;) {
    await batch.fill(
      'parents',
      'joins',
      `INSERT INTO ${parents} (node, parent) SELECT other, min(one) FROM ${edges} GROUP BY other`,
    );
    await flatten(batch);
    await batch.write(
      'joins',
      `UPDATE ${labels} AS l SET label = p.parent FROM ${parents} AS p WHERE p.node = l.label`,
    );
    left = await contract(batch);
    await batch.empty('parents');
  }
};
