// Containers, a class with a base, and an exception that nobody catches.
#include <cstdio>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

class Shape {
public:
    explicit Shape(std::string shape_name) : name(std::move(shape_name)) {}
    virtual ~Shape() = default;
    virtual double area() const = 0;
    std::string name;
};

class Square : public Shape {
public:
    explicit Square(double length) : Shape("square"), side(length) {}
    double area() const override
    {
        if (side < 0) {
            throw std::runtime_error("negative side");
        }
        return side * side; // mark: area
    }
    double side;
};

int main()
{
    std::vector<int> numbers = {1, 2, 3};
    std::map<std::string, int> ages = {{"ann", 31}, {"bob", 44}};
    Square good(2), bad(-1);
    std::printf("%zu %zu %.1f\n", numbers.size(), ages.size(), good.area()); // mark: print
    std::fflush(stdout);
    std::printf("%.1f\n", bad.area());
    return 0;
}
