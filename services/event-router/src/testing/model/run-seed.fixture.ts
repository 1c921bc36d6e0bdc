import { scenario } from './scenario.fixture';
import { verdict } from './verdict.fixture';
import { World, type WorldOptions } from './world.fixture';

/**
 * One run of the model: the same one for the same seed.
 *
 * @returns what has come about and must not have; empty when all is well.
 */
export const runSeed = async (options: WorldOptions): Promise<readonly string[]> => {
  const world = new World(options);
  const { random } = Math;
  Math.random = () => world.simulation.random();
  try {
    await scenario(world);
    return await verdict(world);
  } catch (error) {
    return [String(error)];
  } finally {
    Math.random = random;
  }
};
