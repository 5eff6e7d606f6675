/** The field `flags` of a create request, by the names of ZooKeeper's `CreateMode`. */
export const CREATE_FLAGS = {
  persistent: 0,
  ephemeral: 1,
  'persistent-sequential': 2,
  'ephemeral-sequential': 3,
  container: 4,
  'persistent-with-ttl': 5,
  'persistent-sequential-with-ttl': 6,
} as const;
