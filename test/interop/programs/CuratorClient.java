import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.recipes.locks.InterProcessMutex;
import org.apache.curator.framework.recipes.locks.InterProcessReadWriteLock;
import org.apache.curator.framework.recipes.locks.Revoker;
import org.apache.curator.retry.RetryOneTime;
import org.apache.curator.utils.ZKPaths;

/** Does what a test says, line by line, with one of Curator's locks, and prints a line for all that happens. */
public final class CuratorClient {
    private CuratorClient() {}

    public static void main(String[] args) throws Exception {
        String path = args[1];
        byte[] record = args[3].isEmpty() ? null : args[3].getBytes(StandardCharsets.UTF_8);
        CuratorFramework client = CuratorFrameworkFactory.newClient(args[0], 20_000, 15_000, new RetryOneTime(1_000));
        client.start();
        client.blockUntilConnected();
        InterProcessMutex mutex = mutex(client, path, args[2], record);
        // The node of a revocable lock has no data.
        if (record == null) mutex.makeRevocable(lock -> System.out.println("revoked"));
        // The thread that has the lock must release it.
        ExecutorService holder = Executors.newSingleThreadExecutor();
        System.out.println("ready");
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.split(" ", 2);
            switch (words[0]) {
                case "acquire":
                    holder.submit(() -> {
                        mutex.acquire();
                        System.out.println("acquired");
                        return null;
                    });
                    break;
                case "release":
                    holder.submit(() -> {
                        mutex.release();
                        System.out.println("released");
                        return null;
                    });
                    break;
                case "revoke":
                    Revoker.attemptRevoke(client, words[1]);
                    System.out.println("requested");
                    break;
                default:
                    System.out.println("participants " + mutex.getParticipantNodes().stream()
                            .map(ZKPaths::getNodeFromPath)
                            .collect(Collectors.joining(",")));
            }
        }
        Runtime.getRuntime().halt(0);
    }

    private static InterProcessMutex mutex(CuratorFramework client, String path, String mode, byte[] record) {
        if (!mode.equals("exclusive")) {
            InterProcessReadWriteLock lock = new InterProcessReadWriteLock(client, path, record);
            return mode.equals("read") ? lock.readLock() : lock.writeLock();
        }
        return new InterProcessMutex(client, path) {
            @Override
            protected byte[] getLockNodeBytes() {
                return record;
            }
        };
    }
}
