export { addWitness, until } from '@penstock/test-servers';
